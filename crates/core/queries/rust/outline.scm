[(line_comment) (block_comment)] @comment
(attribute_item) @attribute

(function_item name: (identifier) @name) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
; The fields of a tuple are part of its signature.
(struct_item name: (type_identifier) @name body: (ordered_field_declaration_list) ";" @body) @definition.struct
(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name) @definition.struct
(enum_item name: (type_identifier) @name) @definition.enum
(trait_item name: (type_identifier) @name) @definition.trait
(impl_item type: (generic_type type: (type_identifier) @name)) @definition.impl
(impl_item type: (_) @name) @definition.impl
(type_item name: (type_identifier) @name) @definition.type
(const_item name: (identifier) @name value: (_)? @value) @definition.constant
(static_item name: (identifier) @name value: (_)? @value) @definition.variable
(mod_item name: (identifier) @name body: (declaration_list)) @definition.module
(macro_definition name: (identifier) @name . (_) @body) @definition.macro
