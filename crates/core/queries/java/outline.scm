[(line_comment) (block_comment)] @comment
[(annotation) (marker_annotation)] @attribute

(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.struct
(interface_declaration name: (identifier) @name) @definition.interface
(annotation_type_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.method
(field_declaration
  (modifiers "static" "final")
  declarator: (variable_declarator name: (identifier) @name value: (_)? @value)) @definition.constant
(interface_body
  (constant_declaration declarator: (variable_declarator name: (identifier) @name value: (_)? @value)) @definition.constant)
