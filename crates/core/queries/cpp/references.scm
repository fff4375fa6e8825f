(call_expression function: (qualified_identifier name: (identifier) @reference))
