(comment) @comment
(decorator) @attribute
(decorated_definition) @outer

(function_definition name: (identifier) @name) @definition.function
(class_definition name: (identifier) @name) @definition.class

(module
  (expression_statement
    (assignment left: (identifier) @name right: (_)? @value) @definition.constant)
  (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
(type_alias_statement left: (type (identifier) @name)) @definition.type

(module
  (expression_statement
    (assignment
      left: (identifier) @_all
      right: (_ (string (string_content) @export.local))))
  (#eq? @_all "__all__"))
