/** The style sheet of the page. */
export const STYLE = `
:root{--ink:#1b2733;--soft:#5a6875;--paper:#fff;--panel:#f4f6f8;--line:#d5dce3;--accent:#1f5fa8;
--good:#1d7a46;--fair:#2f7d86;--warn:#9a6200;--bad:#b3261e;--none:#75808b;color-scheme:light}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){--ink:#e6ebf0;--soft:#9fadba;--paper:#12171d;--panel:#1b232c;
--line:#323d49;--accent:#7db4f0;--good:#5cc98b;--fair:#6cc5cf;--warn:#e3ac4a;--bad:#f2857d;--none:#8d99a5;color-scheme:dark}}
:root[data-theme=dark]{--ink:#e6ebf0;--soft:#9fadba;--paper:#12171d;--panel:#1b232c;--line:#323d49;--accent:#7db4f0;
--good:#5cc98b;--fair:#6cc5cf;--warn:#e3ac4a;--bad:#f2857d;--none:#8d99a5;color-scheme:dark}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0 auto;max-width:1800px;padding:1.2rem 1.6rem 3rem;background:var(--paper);color:var(--ink);
font:14px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
header{display:flex;flex-wrap:wrap;align-items:baseline;gap:.4rem 1.2rem;margin-bottom:1rem}
h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:1.4rem 0 .6rem}
.made,.faint{color:var(--soft);margin:0}.made{flex:1 1 16rem}
button,input,select{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--line);border-radius:6px;padding:.3rem .6rem}
button{cursor:pointer}:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
.gate{border:1px solid;border-left-width:6px;border-radius:6px;padding:.5rem .8rem;margin:0 0 1rem;font-weight:600}
.gate.good{color:var(--good)}.gate.bad{color:var(--bad)}
.tiles{list-style:none;display:flex;flex-wrap:wrap;gap:.6rem;margin:0 0 1rem;padding:0}
.tiles li{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:.5rem .9rem;min-width:7.5rem;color:var(--soft)}
.tiles strong{display:block;font-size:1.5rem;line-height:1.2;color:var(--ink);font-variant-numeric:tabular-nums}
.tiles .bad strong{color:var(--bad)}.tiles .warn strong{color:var(--warn)}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(20rem,1fr));gap:.8rem}
figure{margin:0;background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:.7rem .9rem}
figcaption{font-weight:600;margin-bottom:.5rem}
figure ul{list-style:none;margin:0;padding:0;display:grid;grid-template-columns:fit-content(55%) minmax(3rem,1fr) auto;gap:.25rem .7rem}
figure li{display:grid;grid-template-columns:subgrid;grid-column:1/-1;align-items:center}
.js figure li{cursor:pointer}.js figure li:hover .label{text-decoration:underline}
.label{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}.value{color:var(--soft);white-space:nowrap;font-variant-numeric:tabular-nums}
.bar{width:100%;height:.8rem;border-radius:3px;fill:var(--none)}.bar .rail{fill:var(--line);opacity:.5}
.bar.good{fill:var(--good)}.bar.fair{fill:var(--fair)}.bar.warn{fill:var(--warn)}.bar.bad{fill:var(--bad)}
#controls{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin-bottom:.6rem}
#controls input[type=search]{min-width:16rem;flex:1 1 16rem;max-width:30rem}
#controls label{display:inline-flex;gap:.35rem;align-items:center;color:var(--soft)}
#shown{margin-left:auto;color:var(--soft);font-variant-numeric:tabular-nums}
#view{height:min(70vh,52rem);overflow:auto;border:1px solid var(--line);border-radius:8px;overscroll-behavior:contain}
.plain{overflow:auto}
table{border-collapse:separate;border-spacing:0;width:100%}
th,td{text-align:left;padding:0 .6rem;border-bottom:1px solid var(--line);white-space:nowrap;max-width:22rem;overflow:hidden;text-overflow:ellipsis}
th{position:sticky;top:0;z-index:1;background:var(--panel);height:2.2rem}
th button{all:unset;cursor:pointer;font-weight:600;display:block;padding:.2rem 0}
th button:focus-visible{outline:2px solid var(--accent)}
th[aria-sort=ascending] button::after{content:" \\25B2";font-size:.7em}th[aria-sort=descending] button::after{content:" \\25BC";font-size:.7em}
#view th:first-child,#view td:first-child{position:sticky;left:0;background:var(--paper)}#view th:first-child{z-index:2;background:var(--panel)}
#view td{height:30px}#view tbody tr.row:hover{background:var(--panel)}#view tr.space td{padding:0;border:0}
td button{all:unset;cursor:pointer;color:var(--accent)}td button:focus-visible{outline:2px solid var(--accent)}
td.number{text-align:right;font-variant-numeric:tabular-nums}
td.good{color:var(--good)}td.fair{color:var(--fair)}td.warn{color:var(--warn)}td.bad{color:var(--bad)}td.none{color:var(--soft)}
dialog{color:inherit;background:var(--paper);border:1px solid var(--line);border-radius:10px;max-width:min(52rem,92vw);padding:1rem 1.2rem}
dialog::backdrop{background:#0008}dialog form{text-align:right}
dl{display:grid;grid-template-columns:auto 1fr;gap:.3rem 1rem;margin:.4rem 0}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
@media print{body{max-width:none;padding:0;font-size:9px}#controls,#theme,dialog{display:none!important}
#view{height:auto;overflow:visible;border:0}th{position:static}th,td{white-space:normal;max-width:none;padding:1px 3px;overflow-wrap:anywhere}
#view td{height:auto}thead{display:table-header-group}tr,figure{break-inside:avoid}@page{size:landscape;margin:8mm}}
`
