"""Settings of the documentation's site: Markdown in, pages that need no network out."""

import sys
from pathlib import Path

import autograder

sys.path.insert(0, str(Path(__file__).parent))

project = "Attention homework kit"
author = "the kit's authors"
release = autograder.__version__
extensions = ["myst_parser", "extension"]
# Markdown alone: no page runs a notebook. What a tutorial shows is executed by its test.
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
highlight_language = "none"
html_math_renderer = "mathml"
html_theme = "sphinx_book_theme"
html_title = project
html_copy_source = False
html_show_search_summary = False
html_show_sphinx = False
html_show_copyright = False
# The theme's own title is in no landmark, and a screen reader's user would miss it.
templates_path = ["templates"]
html_sidebars = {"**": ["home.html", "search-button-field.html", "sbt-sidebar-nav.html"]}
html_static_path = ["static"]
html_css_files = ["site.css"]
html_theme_options = {
    "navbar_persistent": [],
    "show_toc_level": 2,
    "use_download_button": False,
    "use_fullscreen_button": False,
}
