(comment) @comment

(function_definition name: (word) @name) @definition.function
(program (variable_assignment name: (variable_name) @name value: (_)? @value) @definition.variable)
(program
  (declaration_command ["export" "readonly"]
    (variable_assignment name: (variable_name) @name value: (_)? @value)) @definition.variable)
