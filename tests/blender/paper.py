# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels, drawn without a window."""

from types import SimpleNamespace

import bpy

from limberjack.addon import panels


class FilledIn:
    """The values that an operator's button takes, of properties that the operator has."""

    def __init__(self, kind):
        object.__setattr__(self, "_kind", kind)

    def __setattr__(self, name, value):
        assert name in self._kind.properties, name
        object.__setattr__(self, name, value)


class Paper:
    """A layout that draws nothing, but refuses properties and operators that do not exist."""

    def __init__(self):
        self.texts = []
        self.props = []
        self.labelled = []  # headings of rows, and all labels, in their order
        self.operators = []
        self.buttons = []  # operators with the texts that panels give them
        self.filled_in = []  # operators with what their buttons take
        self.alerts = set()
        self.alert = False

    def prop(self, data, name, **_):
        assert name in data.bl_rna.properties, name
        self.props.append(name)
        if self.alert and name not in ("use_lower", "use_upper"):
            self.alerts.add(name)
            self.alert = False  # as of the column that was made for it

    def operator(self, name, text="", **_):
        self.operators.append(name)
        self.buttons.append((name, text))
        module, function = name.split(".")
        self.filled_in.append((name, FilledIn(getattr(getattr(bpy.ops, module), function).get_rna_type())))
        return self.filled_in[-1][1]

    def prop_decorator(self, data, name, **_):
        assert name in data.bl_rna.properties, name

    def operator_menu_enum(self, name, prop, **_):
        self.operator(name)

    def props_enum(self, data, name):
        self.prop(data, name)

    def operator_enum(self, name, prop):
        assert prop in self.operator(name)._kind.properties

    def menu_pie(self):
        return self

    def menu(self, name, **_):
        getattr(bpy.types, name).draw(SimpleNamespace(layout=self), bpy.context)

    def separator(self, **_):
        pass

    def label(self, text="", **_):
        self.texts.append(text)
        self.labelled.append(text)

    def progress(self, text="", **_):
        self.texts.append(text)

    def row(self, heading="", **_):
        self.labelled.append(heading)
        return self

    column = box = split = row

    def template_list(self, kind, _name, data, propname, active, active_name, **_):
        rows = getattr(bpy.types, kind)
        assert propname in data.bl_rna.properties
        assert active_name in active.bl_rna.properties
        looking = SimpleNamespace(filter_name="", use_filter_invert=False, bitflag_filter_item=1)
        shown = [1] * len(getattr(data, propname))
        if hasattr(rows, "filter_items"):
            shown, order = rows.filter_items(looking, bpy.context, data, propname)
            assert sorted(order) == list(range(len(shown)))
        for number, item in enumerate(getattr(data, propname)):
            if shown[number]:
                rows.draw_item(looking, bpy.context, self, data, item, 0, active, active_name, number, 0)

    def panel(self, _name, **_):
        return self, self  # as if it were open

    def panel_prop(self, data, name):
        self.prop(data, name)
        return self, self if getattr(data, name) else None


def draw(obj, space="VIEW_3D"):
    """Every panel of the tab, or of the Properties editor, with the object as the active one."""
    bpy.context.view_layer.objects.active = obj
    paper = Paper()
    for cls in filter(lambda cls: issubclass(cls, bpy.types.Panel), panels.CLASSES):
        if cls.bl_space_type != space:
            continue
        if not hasattr(cls, "poll") or cls.poll(bpy.context):
            fake = SimpleNamespace(layout=paper)
            if hasattr(cls, "draw_header"):
                cls.draw_header(fake, bpy.context)
            if hasattr(cls, "draw_header_preset"):
                cls.draw_header_preset(fake, bpy.context)
            cls.draw(fake, bpy.context)
    return paper


def draw_all(obj):
    """What the panels say."""
    return " ".join(draw(obj).texts)
