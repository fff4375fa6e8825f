(comment) @comment
(body_statement (identifier) @section (#any-of? @section "private" "protected" "public"))
(call
  method: (identifier) @_visibility
  arguments: (argument_list (method))
  (#any-of? @_visibility "private" "protected" "public")) @outer

(module name: (_) @name) @definition.module
(class name: (_) @name) @definition.class
(method name: (_) @name parameters: (_)? body: (_)? @body) @definition.function
(singleton_method name: (_) @name) @definition.function
(program (assignment left: (constant) @name right: (_) @value) @definition.constant)
(body_statement (assignment left: (constant) @name right: (_) @value) @definition.constant)
