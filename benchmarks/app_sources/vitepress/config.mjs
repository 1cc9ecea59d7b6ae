export default { ignoreDeadLinks: true, cleanUrls: true, markdown: { html: false },
  vue: { template: { compilerOptions: { delimiters: ["[[[[", "]]]]"] } } },
  themeConfig: { sidebar: SIDEBAR } };
