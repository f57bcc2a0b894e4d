import { CapabilityError } from "@paraph/core";
import { parseXml, XmlCdata, XmlElement, XmlText } from "@rgrove/parse-xml";

/** One resource in the server's answer to a `PROPFIND` or a `REPORT`. */
export interface DavResponse {
  readonly href: string;
  /** The status of the resource itself, if the server reports one. */
  readonly status: number | undefined;
  /** The texts of the properties that the server found, by their local names. */
  readonly properties: ReadonlyMap<string, string>;
}

/**
 * Reads a multistatus document (RFC 4918). The parser knows no document types, so the document can define no entities.
 */
export function parseMultistatus(xml: string): DavResponse[] {
  const root = parseRoot(xml);
  if (localName(root) !== "multistatus") throw answerInvalidFault();
  return childrenOf(root, "response").map((response) => ({
    href: firstText(response, "href") ?? "",
    status: parseStatus(firstText(response, "status")),
    properties: new Map(
      childrenOf(response, "propstat")
        .filter((propstat) => parseStatus(firstText(propstat, "status")) === 200)
        .flatMap((propstat) => childrenOf(propstat, "prop"))
        .flatMap((prop) => prop.children.filter((each) => each instanceof XmlElement))
        .map((property) => [localName(property), property.text]),
    ),
  }));
}

function parseRoot(xml: string): XmlElement {
  try {
    // [TRUST 24] XML reads every line end as a line feed. The parser replaces one carriage return at a time, which takes
    // quadratic time.
    const { root } = parseXml(xml.replaceAll(/\r\n?/g, "\n"));
    if (root) return root;
  } catch {
    // The document is not XML, or it is nested so deeply that the parser gives up.
  }
  throw answerInvalidFault();
}

/** The parser leaves prefixes to its user. Names in the two namespaces that occur here do not overlap. */
function localName({ name }: XmlElement): string {
  return name.slice(name.indexOf(":") + 1);
}

function childrenOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter(
    (each): each is XmlElement => each instanceof XmlElement && localName(each) === name,
  );
}

function firstText(element: XmlElement, name: string): string | undefined {
  const [found] = childrenOf(element, name);
  return found?.children
    .filter((each) => each instanceof XmlText || each instanceof XmlCdata)
    .map(({ text }) => text)
    .join("")
    .trim();
}

function parseStatus(line: string | undefined): number | undefined {
  const match = /^HTTP\/[\d.]+ (\d{3})/.exec(line ?? "");
  return match ? Number(match[1]) : undefined;
}

export function answerInvalidFault(): CapabilityError {
  return new CapabilityError(
    "permanent",
    "answer-invalid",
    "The calendar server's answer is not a WebDAV answer. Check the calendar's `url`.",
  );
}
