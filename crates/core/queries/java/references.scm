(type_identifier) @reference
(method_invocation name: (identifier) @reference)
