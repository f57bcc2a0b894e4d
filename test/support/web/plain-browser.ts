/** The parts of a browser that logging in needs: cookies per origin, redirects and form submission. */
export class PlainBrowser {
  readonly #cookies = new Map<string, Map<string, string>>();
  /** The received `Set-Cookie` headers, newest last. */
  readonly received: string[] = [];

  /** Opens an address, follows redirects, and returns the page it reaches. */
  async open(address: string): Promise<BrowserPage> {
    return this.#follow(await this.fetch(address), address);
  }

  async submit(page: BrowserPage, fields: Record<string, string> = {}): Promise<BrowserPage> {
    const action = unescapeHtml(/<form[^>]*\saction="([^"]+)"/.exec(page.text)?.[1] ?? "");
    const hidden = [...page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const body = new URLSearchParams({
      ...Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, unescapeHtml(value)])),
      ...fields,
    });
    const address = new URL(action, page.url).href;
    const response = await this.fetch(address, {
      method: "POST",
      body,
      headers: { origin: new URL(page.url).origin },
    });
    return this.#follow(response, address);
  }

  async fetch(address: string, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(address);
    const headers = new Headers(init.headers);
    const own = this.#cookies.get(origin) ?? new Map<string, string>();
    if (own.size > 0) headers.set("cookie", [...own].map(([name, value]) => `${name}=${value}`).join("; "));
    const response = await fetch(address, { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      this.received.push(line);
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) own.delete(name);
      else own.set(name, value);
    }
    this.#cookies.set(origin, own);
    return response;
  }

  cookie(origin: string, name: string): string | undefined {
    return this.#cookies.get(origin)?.get(name);
  }

  setCookie(origin: string, name: string, value: string): void {
    this.#cookies.set(origin, new Map(this.#cookies.get(origin)).set(name, value));
  }

  async #follow(response: Response, address: string): Promise<BrowserPage> {
    const location = response.headers.get("location");
    if (location === null || response.status < 300 || response.status > 399) {
      return { url: address, status: response.status, text: await response.text() };
    }
    await response.body?.cancel();
    return this.open(new URL(location, address).href);
  }
}

export interface BrowserPage {
  readonly url: string;
  readonly status: number;
  readonly text: string;
}

function unescapeHtml(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))).replaceAll("&amp;", "&");
}
