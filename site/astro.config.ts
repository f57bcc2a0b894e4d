import starlight from "@astrojs/starlight";
import { defineConfig } from "astro/config";
import starlightLinksValidator from "starlight-links-validator";
import { problemTypes } from "../packages/server/src/http/problem-types.ts";
import { sections } from "./pages.ts";

/** Makes tables that scroll reachable with a keyboard. A table has its width only once the styles are loaded. */
const focusScrollingTables = `for (const event of ["load", "resize"])
  addEventListener(event, () => {
    for (const table of document.querySelectorAll(".sl-markdown-content table"))
      if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
      else table.removeAttribute("tabindex");
  });`;

export default defineConfig({
  site: "https://paraph.dev",
  // The URL of each problem code leads to its entry in the reference.
  redirects: Object.fromEntries(
    Object.keys(problemTypes).map((code) => [`/docs/errors/${code}`, `/reference/errors/#${code}`]),
  ),
  integrations: [
    starlight({
      title: "Paraph",
      description: "Approvals, policy and an audit trail for what AI agents do.",
      favicon: "/favicon.svg",
      customCss: ["./src/styles/paraph.css"],
      social: [{ icon: "github", label: "GitHub", href: "https://github.com/paraph/paraph" }],
      sidebar: sections.map(({ label, pages }) => ({
        label,
        collapsed: !["Start", "Connect", "Guides"].includes(label),
        items: [
          ...pages.map((page) => ({ slug: page.slug, ...(page.label && { label: page.label }) })),
          ...(label === "Project"
            ? [
                {
                  label: "Decisions",
                  collapsed: true,
                  items: [{ autogenerate: { directory: "project/decisions" } }],
                },
              ]
            : []),
        ],
      })),
      head: [{ tag: "script", content: focusScrollingTables }],
      // Long lines wrap, because a block that scrolls becomes a landmark without a name for screen readers.
      expressiveCode: { defaultProps: { wrap: true } },
      plugins: [starlightLinksValidator()],
    }),
  ],
});
