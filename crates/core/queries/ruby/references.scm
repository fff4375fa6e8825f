(constant) @reference
(call method: (identifier) @reference)
