(comment) @comment
(document (pair . (_) @name (_) @value) @definition.key)
(table . [(bare_key) (quoted_key) (dotted_key)] @name "]" . (pair)? @body) @definition.key
(table (pair . (_) @name) @definition.key)
(table_array_element . [(bare_key) (quoted_key) (dotted_key)] @name "]]" . (pair)? @body) @definition.key
(table_array_element (pair . (_) @name) @definition.key)
