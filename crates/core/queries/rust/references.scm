(type_identifier) @reference
(call_expression function: (identifier) @reference)
(call_expression function: (field_expression field: (field_identifier) @reference))
(call_expression function: (scoped_identifier name: (identifier) @reference))
(call_expression function: (generic_function function: (identifier) @reference))
(macro_invocation macro: (identifier) @reference)
(scoped_identifier path: (identifier) @reference)
