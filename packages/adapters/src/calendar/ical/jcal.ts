import ICAL from "ical.js";

/** A value of a property, as ical.js parses it (RFC 7265). */
export type JValue = string | number | boolean | readonly JValue[] | { readonly [name: string]: JValue };

/** A property: its name, parameters, type and values. */
export type JProperty = [
  name: string,
  parameters: Readonly<Record<string, string | readonly string[]>>,
  type: string,
  ...values: JValue[],
];

/** A component: its name, properties and components. */
export type JComponent = [name: string, properties: JProperty[], components: JComponent[]];

/** The event cannot be understood. The message is one reason, without data of the event. */
export class UnreadableEvent extends Error {}

/** The maximum size of one event with all its changed occurrences. */
export const maxEventBytes = 256 * 1024;
const maxComponents = 1_000;
const maxDepth = 4;

/** Parses the text of one calendar object. The text is foreign, so its size and its depth have limits. */
export function parseCalendarObject(text: string): JComponent {
  if (Buffer.byteLength(text) > maxEventBytes) throw new UnreadableEvent("it is too large");
  let [depth, components] = [0, 0];
  for (const [line] of text.matchAll(/^(?:BEGIN|END):/gim)) {
    depth += line[0]!.toUpperCase() === "B" ? 1 : -1;
    components += 1;
    if (depth > maxDepth || depth < 0 || components > 2 * maxComponents)
      throw new UnreadableEvent("it has too many parts");
  }
  try {
    const parsed = ICAL.parse(text) as unknown as JComponent;
    if (parsed[0] === "vcalendar") return parsed;
  } catch {
    // The parser quotes the text in its errors.
  }
  throw new UnreadableEvent("it is not iCalendar data");
}

/** Serialises a component to bytes that depend on the component only. */
export function formatCalendarObject(component: JComponent): string {
  return `${ICAL.stringify.component(component as unknown as never[], undefined as never)}\r\n`;
}

export function findProperty([, properties]: JComponent, name: string): JProperty | undefined {
  return properties.find(([each]) => each === name);
}

export function listProperties([, properties]: JComponent, name: string): JProperty[] {
  return properties.filter(([each]) => each === name);
}

export function listComponents([, , components]: JComponent, name: string): JComponent[] {
  return components.filter(([each]) => each === name);
}

/** Returns a copy with these properties in place of all of the same names. */
export function withProperties(
  [name, properties, components]: JComponent,
  replaced: readonly JProperty[],
  removed: readonly string[] = [],
): JComponent {
  const names = new Set([...replaced.map(([each]) => each), ...removed]);
  return [name, [...properties.filter(([each]) => !names.has(each)), ...replaced], components];
}

/** Returns the first value of a property as text. */
export function readText(component: JComponent, name: string): string | undefined {
  const value = findProperty(component, name)?.[3];
  return typeof value === "string" ? value : undefined;
}

export function readParameter([, parameters]: JProperty, name: string): string | undefined {
  const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  return typeof value === "string" ? value : value?.[0];
}
