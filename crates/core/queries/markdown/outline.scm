(section . (atx_heading heading_content: (_) @name) . (_)? @body) @definition.heading
(setext_heading heading_content: (_) @name (setext_h1_underline) @body
  (#set! prefix "#")) @definition.heading
(setext_heading heading_content: (_) @name (setext_h2_underline) @body
  (#set! prefix "##")) @definition.heading
