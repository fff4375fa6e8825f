(type_identifier) @reference
(extends_clause value: (identifier) @reference)
