(type_identifier) @reference
(call_expression function: (identifier) @reference)
(call_expression function: (selector_expression field: (field_identifier) @reference))
(composite_literal type: (qualified_type name: (type_identifier) @reference))
