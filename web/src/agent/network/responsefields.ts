// Fields of Network.Response.

import type { Protocol } from "../../cdp";
import { splitFragment } from "../page/frames";

/** Response headers as Network.Response has them: lines of one name are joined, and set-cookie is left out. */
export function plainHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name !== "set-cookie")
      .map(([name, v]) => [name, v.replaceAll("\n", ", ")]),
  );
}

/** The head of a response in HTTP/1.1. */
export function headText(status: number, statusText: string, headers: Record<string, string>): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => value.split("\n").map((v) => `${name}: ${v}\r\n`));
  return `HTTP/1.1 ${status} ${statusText}\r\n${lines.join("")}\r\n`;
}

/** Network.Response. */
export function response(
  url: string,
  status: number,
  statusText: string,
  headers: Record<string, string>,
  mimeType: string,
): Protocol.Network.Response {
  return {
    url: splitFragment(url)[0],
    status,
    statusText,
    headers,
    mimeType,
    charset: "",
    connectionReused: false,
    connectionId: 0,
    fromDiskCache: false,
    fromServiceWorker: false,
    fromPrefetchCache: false,
    encodedDataLength: 0,
    securityState: url.startsWith("https:") ? "secure" : "insecure",
    protocol: "http/1.1",
  };
}

/** Network.ResourceTiming: milliseconds since requestTime, -1 for what is not known. */
export function timing(
  requestTime: number,
  known: Pick<Protocol.Network.ResourceTiming, "sendStart" | "sendEnd" | "receiveHeadersStart" | "receiveHeadersEnd"> &
    Partial<Protocol.Network.ResourceTiming>,
): Protocol.Network.ResourceTiming {
  const unknown = -1;
  return {
    requestTime,
    proxyStart: unknown,
    proxyEnd: unknown,
    dnsStart: unknown,
    dnsEnd: unknown,
    connectStart: unknown,
    connectEnd: unknown,
    sslStart: unknown,
    sslEnd: unknown,
    workerStart: unknown,
    workerReady: unknown,
    workerFetchStart: unknown,
    workerRespondWithSettled: unknown,
    pushStart: 0,
    pushEnd: 0,
    ...known,
  };
}
