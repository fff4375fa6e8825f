(comment) @comment

(function_definition declarator: (_) @declarator) @definition.function
(translation_unit
  (declaration declarator: [
    (function_declarator) @declarator
    (pointer_declarator declarator: (function_declarator)) @declarator
  ]) @definition.function)
(preproc_ifdef
  (declaration declarator: [
    (function_declarator) @declarator
    (pointer_declarator declarator: (function_declarator)) @declarator
  ]) @definition.function)
(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(type_definition
  type: (_ body: (_) @body)
  declarator: (type_identifier) @name) @definition.type
(type_definition declarator: (_) @declarator) @definition.type
(preproc_def name: (identifier) @name value: (_) @value) @definition.constant
(preproc_function_def name: (identifier) @name value: (_)? @body) @definition.macro
(translation_unit
  (declaration declarator: (init_declarator declarator: (_) @declarator value: (_) @value)) @definition.variable)
