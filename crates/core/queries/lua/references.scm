(function_call name: (identifier) @reference)
(function_call name: (dot_index_expression field: (identifier) @reference))
(function_call name: (method_index_expression method: (identifier) @reference))
