(comment) @comment

(function_declaration
  name: [
    (identifier) @name
    (dot_index_expression field: (identifier) @name)
    (method_index_expression method: (identifier) @name)
  ]) @definition.function
(chunk
  (assignment_statement
    (variable_list
      name: [(identifier) @name (dot_index_expression field: (identifier) @name)])
    (expression_list value: (function_definition body: (_)? @body))) @definition.function)
(chunk
  (variable_declaration
    (assignment_statement
      (variable_list name: (identifier) @name)
      (expression_list value: (function_definition body: (_)? @body)))) @definition.function)
(chunk
  (variable_declaration
    (assignment_statement
      (variable_list name: (identifier) @name)
      (expression_list value: (_) @value))) @definition.variable)
