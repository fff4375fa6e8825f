(comment) @comment
; Outside of a list in parentheses, the keyword belongs to the definition.
(type_declaration "type" . [(type_spec) (type_alias)]) @outer
(const_declaration "const" . (const_spec)) @outer
(var_declaration "var" . (var_spec)) @outer

(function_declaration name: (identifier) @name) @definition.function
(method_declaration name: (field_identifier) @name) @definition.method
(type_declaration
  (type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @body)) @definition.struct
  (#set! prefix "type"))
(type_declaration
  (type_spec name: (type_identifier) @name type: (interface_type "{" @body)) @definition.interface
  (#set! prefix "type"))
(type_declaration
  (type_spec name: (type_identifier) @name) @definition.type
  (#set! prefix "type"))
(type_declaration
  (type_alias name: (type_identifier) @name) @definition.type
  (#set! prefix "type"))
(source_file
  (const_declaration (const_spec name: (identifier) @name value: (_)? @value) @definition.constant)
  (#set! prefix "const"))
(source_file
  (var_declaration (var_spec name: (identifier) @name value: (_)? @value) @definition.variable)
  (#set! prefix "var"))
(source_file
  (var_declaration
    (var_spec_list (var_spec name: (identifier) @name value: (_)? @value) @definition.variable))
  (#set! prefix "var"))
(method_elem name: (field_identifier) @name) @definition.method
