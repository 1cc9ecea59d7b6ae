export const page = (text) => ({ template: `<p>${text}</p>` });
