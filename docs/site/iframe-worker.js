/* Search without a server.
 *
 * The theme searches in a Worker. A browser starts no Worker for a page that it has opened from the
 * disk (file://), so there the script of the worker runs in a hidden frame instead, and messages go
 * to and fro as they would with a Worker. Where there is a server this file changes nothing.
 */
if (location.protocol === "file:") {
  window.Worker = window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      const script = inside.document.createElement("script");
      script.src = url;
      script.onload = () => this.waiting.splice(0).forEach((data) => this.postMessage(data));
      inside.document.body.append(script);
    }

    postMessage(data) {
      const inside = this.frame.contentWindow;
      if (this.waiting.length || !inside.lunr) this.waiting.push(data);
      else inside.dispatchEvent(new inside.MessageEvent("message", { data }));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
