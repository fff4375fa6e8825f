(namespace_use_declaration (namespace_use_clause . [(qualified_name) (name)] @source))
(namespace_use_declaration body: (namespace_use_group)) @source
[(require_expression (_) @source)
 (require_once_expression (_) @source)
 (include_expression (_) @source)
 (include_once_expression (_) @source)]
