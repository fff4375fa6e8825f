(template_declaration) @outer
(field_initializer_list) @omit
(access_specifier) @section

(class_specifier name: (_) @name body: (_)) @definition.class
(namespace_definition name: (_) @name) @definition.module
(field_declaration_list
  (field_declaration declarator: [
    (function_declarator) @declarator
    (pointer_declarator declarator: (function_declarator)) @declarator
    (reference_declarator (function_declarator)) @declarator
  ]) @definition.method)
(field_declaration_list
  (declaration declarator: (function_declarator) @declarator) @definition.method)
(declaration_list
  (declaration declarator: [
    (function_declarator) @declarator
    (pointer_declarator declarator: (function_declarator)) @declarator
    (reference_declarator (function_declarator)) @declarator
  ]) @definition.function)
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.type
