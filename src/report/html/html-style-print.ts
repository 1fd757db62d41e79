/** A4, black on white: headings of tables repeated, rows whole, page numbers; what only a screen can use is left out. */
export const PRINT_STYLE = `
@page{size:A4 landscape;margin:12mm 10mm 14mm;@bottom-right{content:"page " counter(page) " of " counter(pages);font:8pt sans-serif;color:#51606e}}
@media print{
:root{color-scheme:light!important;font-size:10pt}
body{max-width:none;padding:0;font-size:8.5pt;line-height:1.35}
#controls,#chips,#pages,#theme,dialog,summary::marker{display:none!important}summary{list-style:none}
a,a.filter,button.open{color:inherit!important;text-decoration:none}
h1{font-size:15pt}h2{font-size:11pt}h3{font-size:9.5pt}h2,summary{break-after:avoid}
.banner{font-size:10pt}.banner,.product,figure,.tiles,.words section{break-inside:avoid}
.tiles{grid-template-columns:none;grid-auto-flow:column;grid-auto-columns:1fr}.charts{grid-template-columns:repeat(3,1fr)}
*{print-color-adjust:exact}
.scroll,#view{overflow:visible;max-height:none;border:0}
thead{display:table-header-group}thead th{position:static}thead button{display:contents}
th,td{padding:2pt 4pt;overflow-wrap:break-word}tr,#view tbody{break-inside:avoid}
#view .of-part{position:static;min-width:0}#view .of-why{width:38%}.of-why,.of-svhc,.of-exemptions,.of-supplier,.of-source,.prose{min-width:0;max-width:none}
#view .row>*{border-bottom:0}.row:last-child>*{border-bottom:1px solid var(--line)!important}.rest{color:var(--soft);font-size:7.5pt;padding-top:0}.rest .name{font-style:italic}
.clamp{display:block;-webkit-line-clamp:none}
.words{columns:3;font-size:7.5pt}
}
`
