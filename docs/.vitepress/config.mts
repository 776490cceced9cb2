import { readFileSync, writeFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import llms from "vitepress-plugin-llms";

const icon = readFileSync(fileURLToPath(new URL("../../web/favicon.svg", import.meta.url)), "utf8");
const repository = "https://github.com/cdphub/cdphub";
const description = "cdphub relays the Chrome DevTools Protocol between programs that drive browsers and a web app in an iframe, or a real Chromium.";

// Anchors as GitHub makes them, so that a link works in both places.
const slugify = (heading: string) =>
  heading.trim().toLowerCase().replace(/[^\p{L}\p{M}\p{N} _-]/gu, "").replaceAll(" ", "-");

// A page's title is its first heading.
const page = (file: string) => {
  const source = readFileSync(fileURLToPath(new URL(`../${file}.md`, import.meta.url)), "utf8");
  return { text: /^# (.+)$/m.exec(source)?.[1].replaceAll("`", "") ?? file, link: `/${file}` };
};
const group = (text: string, files: string[], collapsed = false) => ({ text, collapsed, items: files.map(page) });

const sidebar = [
  group("Start", ["getting-started", "install", "npm", "troubleshooting"]),
  group("Your app", ["proxy", "pages"]),
  group("Browsers", ["browsers", "extension"]),
  group("Watch and steer", ["dashboard", "handoff", "devtools", "recording", "downloads"]),
  group("Clients", [
    "clients/playwright", "clients/puppeteer", "clients/agent-browser", "clients/mcp", "clients/chromedp", "clients/rod",
    "clients/chrome-remote-interface", "clients/selenium", "clients", "answers",
  ]),
  group("Action APIs", ["actions"]),
  group("Run it", ["operate", "reverse-proxy", "sessions", "connect", "cluster", "config", "security", "scopes", "trust", "performance"]),
  group("Understand it", ["architecture", "glossary", "bridge", "go"]),
];

// Where agents find the pages as Markdown: DOCS_URL is the address of the site, if there is one.
const markdown = process.env.DOCS_URL ?? "https://raw.githubusercontent.com/cdphub/cdphub/main/docs";

// What a page is about: the first sentence of its first paragraph.
const summary = (file: string) => {
  const source = readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), "utf8");
  const paragraph = /(?<=\n\n)(?![#<|*\s-])[^]+?(?=\n\n|$)/.exec(source.replace(/^#.*$/gm, "").replace(/```[^]*?```/g, ""))?.[0] ?? "";
  return (/^[^]+?[.:](?=\s|$)/.exec(paragraph)?.[0] ?? paragraph).replace(/\[([^\]]+)\]\([^)]*\)/g, "$1").replace(/\s+/g, " ").replace(/:$/, ".");
};

// Pages that agents look up one by one, and that would be half of llms-full.txt.
const references = ["answers.md", "architecture.md", "bridge.md", "clients.md", "config.md", "performance.md", "scopes.md", "trust.md"];

// Pages whose tables need the width of the window.
const tables = ["actions.md", "answers.md", "clients.md", "config.md", "trust.md"];

export default defineConfig({
  title: "cdphub",
  description,
  markdown: {
    anchor: { slugify },
    toc: { slugify },
    config: (md) => {
      // What lies outside of docs is in the repository.
      md.core.ruler.push("repository-links", (state) => {
        for (const token of state.tokens.flatMap((t) => t.children ?? [])) {
          if (token.type !== "link_open") continue;
          const path = posix.join(posix.dirname(state.env.relativePath), token.attrGet("href") ?? "");
          if (path.startsWith("../")) token.attrSet("href", `${repository}/blob/main/${path.slice(3)}`);
        }
      });
    },
  },
  transformPageData: (data) => {
    if (tables.includes(data.relativePath)) data.frontmatter.pageClass = "wide";
    if (data.relativePath === "clients.md") data.frontmatter.aside = false; // it has no headings
  },
  vite: { plugins: [llms({ description, ignoreFiles: ["index.md"], ignoreFilesPerOutput: { llmsFullTxt: references } })] },
  buildEnd: ({ outDir }) => {
    const file = `${outDir}/llms.txt`;
    const entry = (_: string, title: string, path: string) => `- [${title}](${markdown}/${path}): ${summary(path)}`;
    writeFileSync(file, readFileSync(file, "utf8").replace(/^- \[(.+)\]\(\/(.+\.md)\)$/gm, entry));
  },
  head: [["link", { rel: "icon", type: "image/svg+xml", href: `data:image/svg+xml,${encodeURIComponent(icon)}` }]],
  themeConfig: {
    nav: [
      { text: "Get started", link: "/getting-started" },
      { text: "Clients", link: "/clients/playwright" },
      { text: "Action APIs", link: "/actions" },
      { text: "Configuration", link: "/config" },
    ],
    sidebar,
    outline: [2, 3],
    search: { provider: "local", options: { detailedView: true } },
    socialLinks: [{ icon: "github", link: repository }],
    footer: { message: "Apache License 2.0" },
  },
});
