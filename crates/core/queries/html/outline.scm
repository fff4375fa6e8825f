(comment) @comment
(element
  (start_tag (tag_name) @_tag) @_start . (text) @name
  (#any-of? @_tag "title" "h1" "h2" "h3")) @definition.heading
(element
  (start_tag
    (attribute (attribute_name) @_id (quoted_attribute_value (attribute_value) @name)))
  . (_) @body
  (#eq? @_id "id")) @definition.element
