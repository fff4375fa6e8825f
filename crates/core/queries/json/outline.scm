(comment) @comment
(document (object (pair key: (string (string_content) @name) value: (object) @body) @definition.key))
(document (object (pair key: (string (string_content) @name) value: (_) @value) @definition.key))
(document (object (pair value: (object (pair key: (string (string_content) @name) value: (_) @value) @definition.key))))
