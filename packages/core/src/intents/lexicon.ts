/** The languages whose connecting words the grammar knows. Names of capabilities and fields come from the schemas. */
export type Language = "en" | "de" | "es";

const toSet = (line: string): ReadonlySet<string> => new Set(line.split(" "));

/**
 * The words that connect a request and change nothing about its meaning. Words that restrict, negate or condition a
 * request must not be in this list, because they would be lost.
 */
const fillers: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: toSet(
    "please can could would you i me us want like need to the a an this these of for with is are by as in into at on from via using called named kindly",
  ),
  de: toSet(
    "bitte kannst könntest könnten können würdest du sie ich mir uns möchte will dass der die das den dem des ein eine einen einem einer dieser diese dieses von vom für mit ist sind in ins im an am auf aus zu zum zur nach unter namens hinzu",
  ),
  es: toSet(
    "por favor puedes podrías puede podría usted quiero quisiera necesito que el la los las un una unos unas este esta estos estas de del para con es son en al a desde bajo llamado llamada",
  ),
};

/** Words that negate or condition a request. Without them, a request could mean its opposite. */
const negations = toSet(
  [
    "not don't dont doesn't never no none without cannot can't won't shouldn't mustn't neither nor stop avoid if unless until except",
    "nicht kein keine keinen keinem keiner nie niemals ohne weder noch falls wenn außer sobald",
    "nunca jamás sin ni tampoco ningún ninguna ninguno si excepto salvo cuando",
  ].join(" "),
);

/** Words between two requests, longest first. */
export const connectives: readonly (readonly string[])[] = [
  ...["and after that", "and then", "after that", "and afterwards", "afterwards", "then"],
  ...["und danach", "und dann", "und anschließend", "anschließend", "danach", "dann"],
  ...["y después", "y luego", "y entonces", "después", "luego"],
].map((text) => text.split(" "));

/** Words between two items of a list, or between two requests. */
export const conjunctions = toSet("and und y e &");

/** The words for one action or thing: the word of the schemas and its synonyms, then German, then Spanish words. */
const synonyms = [
  "read show open display | lies lese lesen zeige zeig zeigen öffne öffnen | lee leer muestra mostrar abre abrir",
  "list | liste auflisten aufliste | lista listar enumera enumerar",
  "write | schreibe schreib schreiben | escribe escribir",
  "create make | erstelle erstell erstellen lege anlegen | crea crear",
  "delete remove erase | lösche lösch löschen entferne entfernen | borra borrar elimina eliminar",
  "move | verschiebe verschieb verschieben | mueve mover",
  "rename | umbenennen benenne | renombra renombrar",
  "copy duplicate | kopiere kopier kopieren | copia copiar",
  "send | sende schicke schick senden schicken | envía envia enviar manda mandar",
  "tell inform notify | informiere informieren benachrichtige benachrichtigen | informa informar avisa avisar",
  "reply | antworte antworten | responde responder",
  "refund | erstatte erstatten zurückerstatten | reembolsa reembolsar devuelve devolver",
  "pay | bezahle bezahlen zahle zahlen | paga pagar",
  "schedule | plane planen | programa programar agenda agendar",
  "cancel | storniere stornieren absagen | cancela cancelar",
  "add | füge hinzufügen | añade añadir agrega agregar",
  "update change edit | ändere ändern aktualisiere aktualisieren bearbeite bearbeiten | actualiza actualizar cambia cambiar edita editar",
  "merge | zusammenführen | fusiona fusionar",
  "freeze | sperre sperren einfrieren | congela congelar bloquea bloquear",
  "search find | suche suchen finde finden | busca buscar encuentra",
  "invite | einladen lade | invita invitar",
  "deploy | ausrollen | despliega desplegar",
  "restart | neustarten | reinicia reiniciar",
  "run | starte ausführen | ejecuta ejecutar",
  "file | datei dateien | archivo archivos fichero ficheros",
  "folder directory | ordner verzeichnis | carpeta carpetas directorio",
  "event meeting appointment | termin besprechung | evento reunión cita",
  "group | gruppe | grupo",
  "person people | personen | persona personas",
  "member | mitglied mitglieder | miembro miembros",
  "payment | zahlung | pago",
  "customer | kunde kunden kundin | cliente clienta",
  "invoice | rechnung | factura",
  "order | bestellung | pedido",
  "mail email e-mail | | correo",
  "subject | betreff | asunto",
  "body text | | texto cuerpo",
  "content | inhalt | contenido",
  "path | pfad | ruta",
  "reason | grund | motivo razón",
  "title titled | titel | título titulado titulada",
  "name | | nombre",
  "branch | zweig | rama",
  "message | nachricht | mensaje",
  "note | notiz | nota",
  "ticket | vorgang | incidencia",
  "date | datum | fecha",
  "quantity | menge anzahl | cantidad",
  "service | dienst | servicio",
  "recursive recursively | rekursiv | recursivo recursivamente",
].map((line) => line.split("|").map((words) => words.trim().split(" ").filter(Boolean)));

/** Actions that another action includes: to write a file also changes it. */
const includedActions: ReadonlyMap<string, string> = new Map([["write", "update"]]);

const conceptOf = new Map(
  synonyms.flatMap((words) => words.flat().map((word) => [word, words[0]![0]!] as const)),
);

/** The words of only one language, by which the grammar recognises that language. */
const languageOf = new Map<string, Language>(
  (["de", "es"] as const).flatMap((language, index) => {
    const own = [...fillers[language], ...synonyms.flatMap((words) => words[index + 1] ?? [])];
    const others = (["en", "de", "es"] as const).filter((one) => one !== language);
    return own
      .filter((word) => !others.some((other) => fillers[other].has(word)))
      .map((word) => [word, language] as const);
  }),
);

/** The prepositions that lead to a field named `to`, `from` or `with`, if a schema has one. */
const prepositions: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  en: { to: "to", into: "to", from: "from", with: "with" },
  de: {
    ...{ nach: "to", an: "to", auf: "to", zu: "to", zum: "to", zur: "to" },
    ...{ von: "from", vom: "from", aus: "from", mit: "with" },
  },
  es: { a: "to", al: "to", para: "to", de: "from", desde: "from", del: "from", con: "with" },
};

const affirmations = toSet("yes true on ja an sí si verdadero");
const denials = toSet("no false off nein aus falso");

/** Returns the languages of the words. English is always one of them, because schemas are written in English. */
export function detectLanguages(words: readonly string[]): ReadonlySet<Language> {
  return new Set<Language>(["en", ...words.flatMap((word) => languageOf.get(word) ?? [])]);
}

/** Returns the word that the schemas use for this word. A plural counts as its singular. */
export function toConcept(word: string): string {
  const known = conceptOf.get(word);
  if (known !== undefined) return known;
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? toConcept(word.slice(0, -1)) : word;
}

/** Returns the actions that a capability with this action performs: the action, and the one that it includes. */
export function listActions(concept: string): readonly string[] {
  const included = includedActions.get(concept);
  return included === undefined ? [concept] : [concept, included];
}

export function isFiller(word: string, languages: Iterable<Language>): boolean {
  for (const language of languages) if (fillers[language].has(word)) return true;
  return false;
}

export function isNegation(word: string): boolean {
  return negations.has(word.replaceAll("’", "'"));
}

export function toPrepositionField(word: string, languages: Iterable<Language>): string | undefined {
  for (const language of languages) {
    const known = prepositions[language];
    if (Object.hasOwn(known, word)) return known[word];
  }
  return undefined;
}

export function toBoolean(word: string): boolean | undefined {
  return affirmations.has(word) ? true : denials.has(word) ? false : undefined;
}
