from desktop.tools.table_queries import *
from decimal import Decimal
def told(q,table,today):
    rows=rows_of(q,table,today)
    if q.aggregate is Aggregate.COUNT: 
        return f"{len(rows)}: "+", ".join(" ".join(table.rows[r]) for r in rows)
    if q.aggregate is None:
        return "\n".join(" ".join(table.rows[r]) for r in rows)
    cols=[table.column(c) for c in q.columns]
    vals=[]
    for r in rows:
        v=Decimal(1)
        for c in cols:
            v*=c.amounts[r].value
        vals.append(v)
    if not vals: return ''
    x={"SUM":sum(vals),"AVG":sum(vals)/len(vals),"MIN":min(vals),"MAX":max(vals)}[q.aggregate.value]
    return cols[0].style.written(x)
