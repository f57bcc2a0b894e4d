// biome-ignore lint/suspicious/noExplicitAny: blocks are JSON of many shapes
type Json = any;

const maxLengths: Readonly<Record<string, number>> = {
  header: 150,
  button: 75,
  title: 24,
  submit: 24,
  close: 24,
};

/** Returns why Slack would reject these blocks, by the limits in its reference of Block Kit. */
export function findBlockFault(blocks: readonly Json[], view?: Json): string | undefined {
  if (blocks.length > (view ? 100 : 50)) return "too many blocks";
  if (view) {
    if (view.private_metadata?.length > 3_000) return "private_metadata is too long";
    for (const part of ["title", "submit", "close"])
      if (view[part] && findPlainFault(view[part], maxLengths[part]!)) return `${part}: too long`;
  }
  for (const block of blocks) {
    const fault = findFault(block);
    if (fault) return `${block.type}: ${fault}`;
  }
  return undefined;
}

function findFault(block: Json): string | undefined {
  switch (block.type) {
    case "header":
      return findPlainFault(block.text, 150);
    case "context":
      return block.elements.length > 10
        ? "too many elements"
        : first(block.elements, (one) => findPlainFault(one, 2_000));
    case "actions":
      return block.elements.length > 25 ||
        new Set(block.elements.map(({ action_id }: Json) => action_id)).size < block.elements.length
        ? "too many elements, or two with one action_id"
        : first(block.elements, (one) =>
            one.value?.length > 2_000 || one.url?.length > 3_000
              ? "value or url is too long"
              : findPlainFault(one.text, 75),
          );
    case "input":
      return findPlainFault(block.label, 2_000);
    case "rich_text":
      return block.elements.length === 0 ? "empty" : first(block.elements, findRichFault);
    default:
      return "unknown type";
  }
}

const richTypes = ["rich_text_section", "rich_text_list", "rich_text_preformatted", "rich_text_quote"];

function findRichFault(part: Json): string | undefined {
  if (richTypes.includes(part.type))
    return part.elements.length === 0 ? "empty" : first(part.elements, findRichFault);
  if (part.type === "date") return Number.isInteger(part.timestamp) ? undefined : "timestamp";
  if (part.type !== "text") return "unknown element";
  return typeof part.text === "string" && part.text !== "" && part.text.length <= 3_000 ? undefined : "text";
}

function findPlainFault(value: Json, max: number): string | undefined {
  if (value?.type !== "plain_text" || typeof value.text !== "string") return "not plain_text";
  return value.text.length === 0 || value.text.length > max ? "length" : undefined;
}

function first(list: readonly Json[], find: (one: Json) => string | undefined): string | undefined {
  return list.map(find).find((fault) => fault !== undefined);
}
