(import_statement (string_value) @source)
(import_statement (call_expression (arguments (_) @source)))
