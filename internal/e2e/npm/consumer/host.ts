// A Host page with the Host in its own bundle.

import { Host, type HostOptions, type HostState, takeToken } from "cdphub/host";

const query = new URLSearchParams(location.search);
const iframe = document.querySelector("iframe") as HTMLIFrameElement;
const app = query.get("app") ?? "";
iframe.src = `${app}/?parent=${location.origin}`;
const options: HostOptions = { resizable: false };
const host = new Host(options);
const targetId: string = host.pair(iframe, { origins: [app] });
host.onState((state: HostState) => console.log(targetId, state.relay, state.reason));
host.connectRelay(query.get("hub") ?? "", { token: takeToken() });
