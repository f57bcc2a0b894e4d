import { renderAdaptersPage } from "./adapters.ts";
import { renderCapabilitiesPage } from "./capabilities.ts";
import { renderCliPage } from "./cli.ts";
import { renderConfigurationPage } from "./configuration.ts";
import { renderEnvironmentPage } from "./environment.ts";
import { renderErrorsPage } from "./errors.ts";
import { renderEventsPage } from "./events.ts";
import { renderHttpApiPage } from "./http-api.ts";
import { renderMetricsPage } from "./metrics.ts";

/** The folder of the pages. It also holds pages that people write. */
export const referenceFolder = new URL("../../docs/reference/", import.meta.url);

/** The generated pages by file name. */
const pages: Readonly<Record<string, () => string | Promise<string>>> = {
  "adapters.md": renderAdaptersPage,
  "capabilities.md": renderCapabilitiesPage,
  "cli.md": renderCliPage,
  "configuration.md": renderConfigurationPage,
  "environment.md": renderEnvironmentPage,
  "errors.md": renderErrorsPage,
  "events.md": renderEventsPage,
  "http-api.md": renderHttpApiPage,
  "metrics.md": renderMetricsPage,
};

/** Renders every generated page. */
export async function renderReferencePages(): Promise<{ readonly name: string; readonly text: string }[]> {
  return Promise.all(Object.entries(pages).map(async ([name, render]) => ({ name, text: await render() })));
}
