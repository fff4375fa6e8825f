(comment) @comment
(attribute_list) @attribute

(namespace_declaration name: (_) @name) @definition.module
(file_scoped_namespace_declaration name: (_) @name ";" @body) @definition.module
(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.struct
(struct_declaration name: (identifier) @name) @definition.struct
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(delegate_declaration name: (identifier) @name) @definition.type
(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name (constructor_initializer)? @body) @definition.method
(property_declaration name: (identifier) @name accessors: (_) @body) @definition.property
(property_declaration name: (identifier) @name value: (_) @body) @definition.property
(field_declaration
  (modifier) @_const
  (variable_declaration (variable_declarator name: (identifier) @name (_)? @value))
  (#eq? @_const "const")) @definition.constant
