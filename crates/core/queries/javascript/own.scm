; What the grammar of TypeScript names otherwise.
(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @definition.method
(class_heritage (identifier) @reference)
