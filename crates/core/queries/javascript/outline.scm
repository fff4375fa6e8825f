(comment) @comment
(decorator) @attribute
(export_statement) @outer.export
[(lexical_declaration) (variable_declaration)] @outer

(function_declaration name: (_) @name) @definition.function
(generator_function_declaration name: (_) @name) @definition.function
(class_declaration name: (_) @name) @definition.class
(export_statement value: (class) @definition.class)
(export_statement value: [(arrow_function) (function_expression)] @definition.function)
(method_definition name: (_) @name) @definition.method

; A function in a variable is a function.
(program
  [(lexical_declaration
     (variable_declarator name: (identifier) @name
       value: [(arrow_function) (function_expression) (generator_function)]) @definition.function)
   (variable_declaration
     (variable_declarator name: (identifier) @name
       value: [(arrow_function) (function_expression) (generator_function)]) @definition.function)])
(export_statement
  [(lexical_declaration
     (variable_declarator name: (identifier) @name
       value: [(arrow_function) (function_expression) (generator_function)]) @definition.function)
   (variable_declaration
     (variable_declarator name: (identifier) @name
       value: [(arrow_function) (function_expression) (generator_function)]) @definition.function)])

(program (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @definition.constant))
(program (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @definition.variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable))
(export_statement (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @definition.constant))
(export_statement (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @definition.variable))
(export_statement (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable))
