// biome-ignore lint/suspicious/noExplicitAny: blocks are JSON of many shapes
type Json = any;

/**
 * Renders a message or a dialog roughly as Slack lays it out, to look at it. Texts outside of `rich_text` are escaped for
 * Slack already, with the entities of HTML.
 */
export function renderSlack(blocks: readonly Json[], at = "10:32"): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Slack message</title><style>${style}</style>
    <div class="message"><div class="avatar">P</div><div><b>Paraph</b> <span class="app">APP</span> <small>${at}</small>
    ${blocks.map(renderBlock).join("\n")}</div></div></html>`;
}

const style = `*{box-sizing:border-box}body{font:15px/22px Lato,"Helvetica Neue",Arial,sans-serif;color:#1d1c1d;margin:0}
.message{display:grid;grid-template-columns:36px 1fr;gap:10px;padding:14px 20px;max-width:680px}.avatar{height:36px;border-radius:6px;background:#2740a8;color:#fff;display:grid;place-items:center;font-weight:700}
.app{background:#e8e8e8;font-size:10px;font-weight:700;padding:1px 4px}small,.context{color:#616061;font-size:13px;line-height:19px}h4{font-size:18px;line-height:26px;margin:6px 0}
pre{font:12px/18px Menlo,"DejaVu Sans Mono",monospace;background:#f8f8f8;border:1px solid #ddd;border-radius:4px;padding:8px;margin:4px 0;white-space:pre-wrap}
div.rich{margin:0 0 8px}ul{margin:0;padding-left:26px}blockquote{border-left:4px solid #ddd;margin:4px 0;padding-left:12px;white-space:pre-wrap}.actions{display:flex;gap:8px;margin:10px 0 6px;flex-wrap:wrap}
.actions span{border:1px solid #868686;border-radius:4px;padding:6px 12px;font-weight:700}.primary{background:#007a5a;color:#fff}.danger{color:#b0121c;border-color:#b0121c!important}`;

function renderBlock(block: Json): string {
  if (block.type === "header") return `<h4>${block.text.text}</h4>`;
  if (block.type === "context")
    return block.elements.map((one: Json) => `<div class="context">${one.text}</div>`).join("");
  if (block.type === "actions")
    return `<div class="actions">${block.elements.map((one: Json) => `<span class="${one.style ?? ""}">${one.text.text}</span>`).join("")}</div>`;
  if (block.type === "input") return `<b>${block.label.text}</b><pre>\n\n</pre>`;
  return `<div class="rich">${block.elements.map(renderPart).join("")}</div>`;
}

const tags: Readonly<Record<string, string>> = {
  rich_text_section: "div",
  rich_text_preformatted: "pre",
  rich_text_quote: "blockquote",
  rich_text_list: "ul",
};

function renderPart(part: Json): string {
  const tag = tags[part.type];
  if (!tag) return renderText(part);
  const inner = part.elements
    .map((one: Json) => (tag === "ul" ? `<li>${renderPart(one)}</li>` : renderPart(one)))
    .join("");
  return `<${tag}>${inner}</${tag}>`;
}

function renderText({ type, text, fallback, style: look }: Json): string {
  // `rich_text` is literal, unlike other texts, so it is escaped here.
  const shown = (type === "date" ? fallback : text).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return look?.bold ? `<b>${shown}</b>` : shown;
}
