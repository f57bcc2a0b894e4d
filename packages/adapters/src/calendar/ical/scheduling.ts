import { isSamePerson } from "../people.ts";
import { readAddress, readOrganizer } from "./details.ts";
import { type JComponent, type JProperty, listProperties } from "./jcal.ts";

/**
 * Keeps the server from sending mails about this component (RFC 6638). After a change of the time, attendees have to
 * answer again.
 */
export function withClientScheduling(
  component: JComponent,
  { asksAgain }: { readonly asksAgain: boolean },
): JComponent {
  const organizer = readOrganizer(component);
  const [name, properties, components] = component;
  return [
    name,
    properties.map((property): JProperty => {
      if (property[0] !== "attendee") return property;
      const email = readAddress(property);
      const isOrganizer = email !== undefined && organizer !== undefined && isSamePerson(email, organizer);
      return withParameters(property, {
        "schedule-agent": "CLIENT",
        ...(asksAgain && !isOrganizer && { partstat: "NEEDS-ACTION", rsvp: "TRUE" }),
      });
    }),
    components,
  ];
}

/** Records the answer of one attendee. Returns undefined if the person is not invited. */
export function withAnswer(component: JComponent, person: string, partstat: string): JComponent | undefined {
  const isOwn = (property: JProperty) => {
    const email = property[0] === "attendee" ? readAddress(property) : undefined;
    return email !== undefined && isSamePerson(email, person);
  };
  if (!listProperties(component, "attendee").some(isOwn)) return undefined;
  const [name, properties, components] = component;
  return [
    name,
    properties.map((property) => {
      if (isOwn(property)) return withParameters(property, { partstat }, ["rsvp"]);
      // On the copy of an attendee, the organizer's property decides who sends the answer.
      return property[0] === "organizer"
        ? withParameters(property, { "schedule-agent": "CLIENT" })
        : property;
    }),
    components,
  ];
}

function withParameters(
  [name, parameters, type, ...values]: JProperty,
  changed: Readonly<Record<string, string>>,
  removed: readonly string[] = [],
): JProperty {
  const kept = Object.entries(parameters).filter(([each]) => !removed.includes(each));
  return [name, { ...Object.fromEntries(kept), ...changed }, type, ...values];
}
