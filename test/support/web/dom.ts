import { type DefaultTreeAdapterTypes, parse, parseFragment } from "parse5";

type Node = DefaultTreeAdapterTypes.Node;
export type Element = DefaultTreeAdapterTypes.Element;

/** Parses the text by the same rules as a browser. */
export function parseElements(text: string): Element[] {
  const tree = text.startsWith("<!doctype") ? parse(text) : parseFragment(text);
  return listDescendants(tree).filter((node): node is Element => "tagName" in node);
}

export function readText(node: Node | string): string {
  const tree = typeof node === "string" ? parseFragment(node) : node;
  return listDescendants(tree)
    .map((each) => ("value" in each ? each.value : ""))
    .join("");
}

export function readAttribute({ attrs }: Element, name: string): string | undefined {
  return attrs.find((each) => each.name === name)?.value;
}

export function filterByClass(elements: readonly Element[], name: string): Element[] {
  return elements.filter((element) => readAttribute(element, "class")?.split(" ").includes(name));
}

function listDescendants(node: Node): Node[] {
  const children = "childNodes" in node ? node.childNodes : [];
  return children.flatMap((child) => [child, ...listDescendants(child)]);
}
