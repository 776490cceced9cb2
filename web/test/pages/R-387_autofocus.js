// What asks for the focus gets it, as in a tab, unless the page has given it to another element, or its address names one.
const auto =
  "<button id=plain>plain</button><button id=hidden autofocus hidden>no</button><button id=auto autofocus>auto</button>";
const active = () => value("document.activeElement.id");
state.sessions[0].domains.push("Page");
await visit("/auto", { html: auto });
is(await active(), "auto");
await value("document.open(), document.write('<input id=late autofocus>'), document.close()");
is(await until("the focus", active), "late");
await visit("/auto", { html: auto + "<script>plain.focus()<\/script>" });
is(await active(), "plain");
await visit("/auto", { html: auto + "<script>location.hash='plain'<\/script>" });
is(await active(), "plain", "the target of the address");
