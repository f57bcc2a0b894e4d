import { type DefaultTreeAdapterTypes, parse, parseFragment } from "parse5";

type Node = DefaultTreeAdapterTypes.Node;
export type Element = DefaultTreeAdapterTypes.Element;

/** What a browser would make of it, by the same rules. */
export function elementsOf(text: string): Element[] {
  const tree = text.startsWith("<!doctype") ? parse(text) : parseFragment(text);
  return descendants(tree).filter((node): node is Element => "tagName" in node);
}

export function textOf(node: Node | string): string {
  const tree = typeof node === "string" ? parseFragment(node) : node;
  return descendants(tree)
    .map((each) => ("value" in each ? each.value : ""))
    .join("");
}

export function attribute({ attrs }: Element, name: string): string | undefined {
  return attrs.find((each) => each.name === name)?.value;
}

export function withClass(elements: readonly Element[], name: string): Element[] {
  return elements.filter((element) => attribute(element, "class")?.split(" ").includes(name));
}

function descendants(node: Node): Node[] {
  const children = "childNodes" in node ? node.childNodes : [];
  return children.flatMap((child) => [child, ...descendants(child)]);
}
