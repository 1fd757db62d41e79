import { PRINT_STYLE } from './html-style-print.ts'
import { TABLE_STYLE } from './html-style-table.ts'

/** The style sheet of a page: colors by the system's light or dark mode, then the parts of the page from top to bottom. */
export const STYLE = `
:root{color-scheme:light dark;--ink:light-dark(#1b2733,#e6ebf0);--soft:light-dark(#51606e,#a9b6c2);--paper:light-dark(#fff,#12171d);
--panel:light-dark(#f4f6f8,#1b232c);--line:light-dark(#d5dce3,#35414d);--accent:light-dark(#1a5aa3,#8cbdf5);--on:light-dark(#fff,#0d1217);
--good:light-dark(#196b3d,#5cc98b);--fair:light-dark(#22676f,#6cc5cf);--warn:light-dark(#875500,#e3ac4a);--bad:light-dark(#b3261e,#f5928a);
--none:light-dark(#5a6875,#a9b6c2)}
:root[data-theme=light]{color-scheme:light}:root[data-theme=dark]{color-scheme:dark}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0 auto;max-width:1600px;padding:1.2rem 1.6rem 3rem;background:var(--paper);color:var(--ink);
font:14px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
header{display:flex;flex-wrap:wrap;align-items:baseline;gap:.4rem 1.2rem;margin-bottom:1rem}
h1{font-size:1.5rem;margin:0}h2{font-size:1.15rem;margin:1.8rem 0 .6rem}h3{font-size:1rem;margin:.8rem 0 .3rem}
p{margin:.3rem 0}
.made,.sub{color:var(--soft)}.made{flex:1 1 16rem;margin:0}
a{color:var(--accent)}.filter{color:inherit}a.filter{text-decoration:underline;text-decoration-color:color-mix(in srgb,currentColor 45%,transparent);text-underline-offset:.18em}
a.filter:hover{text-decoration-color:currentColor}a.filter[aria-current]{background:color-mix(in srgb,var(--accent) 18%,transparent);border-radius:4px}
button,input,select{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--line);border-radius:6px;padding:.35rem .6rem;min-width:0}
button{cursor:pointer}button:disabled{color:var(--soft);cursor:default}:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
.long{overflow-wrap:anywhere;word-break:break-all}
.banner,.product{display:flex;gap:.7rem;align-items:baseline;border:1px solid var(--line);border-left:6px solid var(--tone);border-radius:8px;background:var(--panel);padding:.7rem 1rem;margin:0 0 .8rem}
.banner{font-size:1.1rem;font-weight:600}.banner .sub{display:block;font-size:.93rem;font-weight:400}.sign{color:var(--tone);font-weight:700}
.good{--tone:var(--good)}.fair{--tone:var(--fair)}.warn{--tone:var(--warn)}.bad{--tone:var(--bad)}.none{--tone:var(--none)}
.product{display:block}.product h2{margin:0;font-size:1.35rem;display:flex;gap:.6rem}.product dl{margin:.6rem 0;display:grid;gap:.3rem}
.product dl div{display:grid;grid-template-columns:11rem minmax(0,1fr);gap:.8rem}.product ul{margin:0;padding:0;list-style:none}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
.tiles{list-style:none;display:grid;grid-template-columns:repeat(auto-fit,minmax(7rem,1fr));gap:.6rem;margin:0 0 .9rem;padding:0}
.tiles li{background:var(--panel);border:1px solid var(--line);border-radius:8px;color:var(--soft)}
.tiles li>*{display:block;padding:.5rem .9rem;border-radius:7px;text-decoration:none}.tiles a:hover{background:color-mix(in srgb,var(--accent) 10%,transparent)}
.tiles strong{display:block;font-size:1.5rem;line-height:1.2;color:var(--tone,var(--ink));font-variant-numeric:tabular-nums}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr));gap:.8rem;align-items:start}
figure{margin:0;background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:.7rem .9rem}
figcaption{font-weight:600;margin-bottom:.4rem}
figure ul{list-style:none;margin:0;padding:0}
figure li>.filter{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:0 .7rem;padding:.15rem .25rem .3rem;text-decoration:none;border-radius:4px}
figure a:hover{background:color-mix(in srgb,var(--accent) 10%,transparent)}
.label{overflow-wrap:anywhere}.value{color:var(--soft);white-space:nowrap;font-variant-numeric:tabular-nums}
.bar{grid-column:1/-1;width:100%;height:.45rem;border-radius:3px;fill:var(--tone)}.bar .rail{fill:var(--line);opacity:.6}
.axis{display:flex;justify-content:space-between;color:var(--soft);font-size:.85rem;padding:0 .25rem}
.key{border-top:1px solid var(--line);margin-top:.5rem!important;padding-top:.4rem!important;color:var(--soft);font-size:.9rem}
.key li{display:grid;grid-template-columns:auto 1fr;gap:.5rem;align-items:baseline}.swatch{width:.7rem;height:.7rem;border-radius:3px;background:var(--tone)}
.chip{display:inline-block;background:var(--tone);color:var(--on);border-radius:4px;padding:0 .45rem;font-weight:600}
#controls{display:flex;flex-wrap:wrap;gap:.5rem .7rem;align-items:end;margin-bottom:.6rem}
#controls label{display:grid;gap:.1rem;color:var(--soft);font-size:.85rem}#controls .wide{flex:1 1 16rem;max-width:26rem}
#controls input,#controls select{color:var(--ink);font-size:14px;max-width:14rem}#controls .wide input{max-width:none}
#shown{margin-left:auto;color:var(--soft);font-variant-numeric:tabular-nums;padding:.35rem 0}
#chips{display:flex;flex-wrap:wrap;gap:.4rem;margin:0 0 .6rem}.remove{border-color:var(--accent);border-radius:99px;overflow-wrap:anywhere;text-align:left}
#pages{display:flex;gap:.8rem;align-items:center;justify-content:center;margin:.8rem 0;font-variant-numeric:tabular-nums}
dialog{color:inherit;background:var(--paper);border:1px solid var(--line);border-radius:10px;width:min(56rem,94vw);padding:1rem 1.2rem}
dialog::backdrop{background:#0008}dialog form{display:flex;justify-content:space-between;align-items:start;gap:1rem}dialog h2{margin:0;overflow-wrap:anywhere}
dialog dl{display:grid;grid-template-columns:minmax(7rem,auto) minmax(0,1fr);gap:.3rem 1rem;margin:.8rem 0 0}
summary{cursor:pointer;margin-top:1.8rem}summary h2{display:inline;margin:0}
.words{columns:24rem auto;column-gap:2.5rem}.words section{break-inside:avoid-column}.words dl{margin:0}.words dt{color:var(--ink);font-weight:600;margin-top:.35rem}.words dd{color:var(--soft)}
${TABLE_STYLE}${PRINT_STYLE}`
