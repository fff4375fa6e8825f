(comment) @comment
(stylesheet (rule_set (selectors) @name (block) @body) @definition.selector)
(stylesheet (media_statement . (_) @name (block) @body) @definition.selector)
(stylesheet (keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @definition.selector)
