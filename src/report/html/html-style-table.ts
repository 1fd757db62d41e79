/** Tables; on a narrow screen each row of the report is a card. */
export const TABLE_STYLE = `
.scroll,#view{overflow:auto;border:1px solid var(--line);border-radius:8px}
#view{max-height:max(24rem,calc(100vh - 9rem))}
#rows-section{scroll-margin-top:.5rem}
table{border-collapse:separate;border-spacing:0;width:100%}
caption{text-align:left;color:var(--soft);padding:.4rem .6rem}
th,td{text-align:left;vertical-align:top;padding:.4rem .6rem;border-bottom:1px solid var(--line);font-weight:400}
thead th{position:sticky;top:0;z-index:1;background:var(--panel);font-weight:600;white-space:nowrap}
thead button{all:unset;cursor:pointer;display:inline-block;padding:.1rem 0}thead button:focus-visible{outline:2px solid var(--accent)}
th[aria-sort=ascending] button::after{content:" \\25B2" / "";font-size:.7em}th[aria-sort=descending] button::after{content:" \\25BC" / "";font-size:.7em}
.number{text-align:right;font-variant-numeric:tabular-nums}.date{white-space:nowrap}
tbody .sub,.text{display:block}
.short,.prose a[target]{white-space:nowrap}.of-verdict{min-width:9.5rem;max-width:11rem}
.clamp{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:4;overflow:hidden}
.word{display:inline-block;border:1px solid var(--bad);color:var(--bad);border-radius:4px;padding:0 .35rem;margin:0 .3rem .2rem 0;font-size:.9em}.word.waived{color:var(--soft);border-color:var(--line)}
button.open{all:unset;cursor:pointer;color:var(--accent);font-weight:600;text-decoration:underline;text-underline-offset:.18em;text-decoration-color:transparent}
button.open:hover{text-decoration-color:currentColor}button.open:focus-visible{outline:2px solid var(--accent)}
#view tbody tr.row:hover>*{background:var(--panel)}
#view .of-part{position:sticky;left:0;background:var(--paper);min-width:11rem;max-width:20rem}#view thead .of-part{z-index:2;background:var(--panel)}
.of-why{min-width:16rem;max-width:28rem}.of-svhc,.of-exemptions{min-width:11rem;max-width:20rem}.of-supplier{min-width:9rem}.of-source{min-width:10rem}
.prose{min-width:12rem;max-width:30rem;overflow-wrap:break-word}.ends{font-size:.95em}
.empty{text-align:center;color:var(--soft);padding:2rem}
.plain td{max-width:24rem;overflow-wrap:break-word}
.narrow{display:none!important}
@media screen and (max-width:700px){
body{padding:.8rem .8rem 2rem}.short{white-space:normal;overflow-wrap:anywhere}.scroll .short,.chip.short{white-space:nowrap;overflow-wrap:normal}.narrow{display:grid!important}
.product dl div{grid-template-columns:1fr;gap:0}.product dl{gap:.6rem}
.tiles{grid-template-columns:repeat(3,1fr);gap:.4rem}.tiles li>*{padding:.4rem .6rem}.tiles strong{font-size:1.25rem}
.js #controls{display:grid;grid-template-columns:1fr 1fr}#controls .wide{grid-column:1/-1;max-width:none}#controls select{max-width:none}#shown{margin:0}
#view{border:0;max-height:none;overflow:visible}#view table,#view tbody,#view tr,#view td,#view tbody th{display:block}
#view thead{display:none}
#view tr.row{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:.15rem .6rem;border:1px solid var(--line);border-left:5px solid var(--tone,var(--line));border-radius:8px;padding:.6rem .7rem;margin-bottom:.6rem;background:var(--panel)}
#view tr.row>*{grid-column:1/-1;border:0;padding:0;min-width:0;max-width:none;text-align:left;position:static;background:none!important;overflow-wrap:anywhere}
#view tr.row>.of-part{grid-column:1}#view tr.row>.of-verdict{grid-column:2;grid-row:1}
#view tr.row>:not([data-label]){display:none}
#view tr.row>td[data-label]:not(.of-verdict,.of-why)::before{content:attr(data-label) ": ";color:var(--soft)}
#view tr.row>:is(.of-svhc,.of-exemptions,.of-supplier)>:is(.text,.sub){display:inline;overflow-wrap:anywhere}
#view tr.row>:is(.of-exemptions,.of-supplier)>.sub::before{content:" · "}
#view tr.row>:not(.of-part,.of-verdict,.of-why,.of-svhc,.of-exemptions,.of-supplier,.of-date,.substance){display:none}
.words{columns:auto}
}
`
